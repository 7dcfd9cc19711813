"""deploy/compose: its profiles and files belong together, and the venue takes its settings."""

import os
import re
import subprocess

import yaml

from venue import BINARY, ROOT

FOLDER = ROOT / "deploy/compose"


def test_each_profile_is_a_service_and_each_volume_is_named():
    compose = yaml.safe_load((FOLDER / "compose.yaml").read_text())
    services = compose["services"]
    assert {name: service.get("profiles", []) for name, service in services.items()} == {
        "venue": [], "postgres": ["postgres"], "redis": ["redis"], "kafka": ["kafka"], "nats": ["nats"],
    }
    used = {volume.split(":")[0] for service in services.values() for volume in service["volumes"]}
    assert {name for name in used if not name.startswith(".")} == set(compose["volumes"])


def test_the_venue_takes_the_settings_of_its_file(tmp_path):
    lines = (FOLDER / "venue.env").read_text().splitlines()
    settings = dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))
    hosts = {re.split(r"[:/?]", url.split("://")[1].rpartition("@")[2])[0]
             for name in ("BUTTONWOOD_HISTORY", "BUTTONWOOD_INTAKE", "BUTTONWOOD_PUBLISH")
             for url in settings[name].split(",")}
    assert hosts == {"postgres", "redis", "nats"}
    secrets = tmp_path / "secrets"
    secrets.mkdir()
    for name in ("postgres", "redis", "nats"):
        (secrets / name).write_text("secret\n")
    here = {name: value.replace("/secrets", str(secrets)) for name, value in settings.items()}
    # A folder that cannot be: the settings are read before it is looked at.
    here |= {"BUTTONWOOD_DATA_DIR": "/proc/none", "BUTTONWOOD_HTTP": "127.0.0.1:0"}
    done = subprocess.run([BINARY, "serve"], env={**os.environ, **here}, capture_output=True, text=True)
    assert done.returncode != 0 and "/proc/none" in done.stderr, done.stderr
