// The way in: one click in a demo, a user and a password elsewhere.
import { useSignal } from "@preact/signals";
import { isSessionKnown, session, signInChoices, signInDemo } from "../stores/session";
import { Button } from "../ui/Button";
import { later } from "../ui/Later";
import { Panel } from "../ui/Panel";
import "./sign-in.css";

const PasswordForm = later("The form", async () => (await import("./PasswordForm")).PasswordForm);

export function SignIn() {
  const failure = useSignal<string | null>(null);
  const isBusy = useSignal(false);
  const isByPassword = useSignal(false);
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
          <details
            onToggle={(event) => {
              isByPassword.value = event.currentTarget.open;
            }}
          >
            <summary>Sign in by password</summary>
            {isByPassword.value && <PasswordForm isBusy={isBusy.value} onSignIn={attempt} />}
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
