import { signInPassword } from "../stores/session";

interface FormProps {
  isBusy: boolean;
  onSignIn: (signIn: () => Promise<string | null>) => void;
}

export function PasswordForm({ isBusy, onSignIn }: FormProps) {
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
