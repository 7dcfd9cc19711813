// The way in: one click in a demo, a user and a password elsewhere.
import { useSignal } from "@preact/signals";
import { isSessionKnown, session, signInChoices, signInDemo, signInPassword } from "../stores/session";
import { Button } from "../ui/Button";
import { Panel } from "../ui/Panel";
import "./sign-in.css";

export function SignIn() {
  const failure = useSignal<string | null>(null);
  const isBusy = useSignal(false);
  if (session.value !== null || !isSessionKnown.value) return null;
  const attempt = async (signIn: () => Promise<string | null>) => {
    isBusy.value = true;
    failure.value = await signIn();
    isBusy.value = false;
  };
  const { demo, accounts, hasCode } = signInChoices.value;
  return (
    <Panel title="Sign in to trade" class="sign-in">
      <div class="sign-in-body">
        {demo && hasCode && (
          <>
            <p>This is a demo: trade with play money as</p>
            <div class="sign-in-accounts">
              {accounts.map((account) => (
                <Button
                  key={account}
                  look="accent"
                  testId={`sign-in-demo-${account}`}
                  disabled={isBusy.value}
                  onClick={() => void attempt(() => signInDemo(account))}
                >
                  {account}
                </Button>
              ))}
            </div>
          </>
        )}
        {demo && !hasCode && (
          <p>
            This is a demo. Open the address that the venue printed as <code>open http://…/#…</code>: it signs in once,
            and the venue then prints the next.
          </p>
        )}
        {demo ? (
          <details>
            <summary>Sign in by password</summary>
            <PasswordForm isBusy={isBusy.value} onSignIn={attempt} />
          </details>
        ) : (
          <PasswordForm isBusy={isBusy.value} onSignIn={attempt} />
        )}
        {failure.value !== null && (
          <p class="bad" role="alert">
            {failure.value}
          </p>
        )}
      </div>
    </Panel>
  );
}

interface FormProps {
  isBusy: boolean;
  onSignIn: (signIn: () => Promise<string | null>) => void;
}

function PasswordForm({ isBusy, onSignIn }: FormProps) {
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    const text = (name: string) => String(form.get(name) ?? "");
    onSignIn(() => signInPassword(text("user"), text("password"), text("totp").trim() || undefined));
  };
  return (
    <form class="sign-in-form" onSubmit={submit}>
      <label>
        User
        <input class="field" name="user" autocomplete="username" required data-testid="sign-in-user" />
      </label>
      <label>
        Password
        <input
          class="field"
          name="password"
          type="password"
          autocomplete="current-password"
          required
          data-testid="sign-in-password"
        />
      </label>
      <label>
        Code of the authenticator, if you have one
        <input
          class="field"
          name="totp"
          inputMode="numeric"
          autocomplete="one-time-code"
          maxLength={6}
          data-testid="sign-in-totp"
        />
      </label>
      <button type="submit" class="button" data-look="accent" disabled={isBusy} data-testid="sign-in-submit">
        Sign in
      </button>
    </form>
  );
}
