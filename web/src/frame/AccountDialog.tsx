import { cancelOnDisconnect, session, signOut } from "../stores/session";
import { Button } from "../ui/Button";
import { Dialog } from "../ui/Dialog";

export function AccountDialog({ onClose }: { onClose: () => void }) {
  const who = session.value;
  const leave = (everywhere: boolean) => {
    onClose();
    void signOut(everywhere);
  };
  return (
    <Dialog title={`Account ${who?.account ?? ""}`} onClose={onClose}>
      <p>
        Signed in as {who?.user}, by a key that this browser holds and that no page can read. Signing out revokes the
        key.{" "}
        {cancelOnDisconnect.value
          ? "The venue cancels the orders that were sent with cancel on disconnect; others stay open."
          : "Open orders stay open."}
      </p>
      <div class="dialog-actions">
        <Button onClick={() => leave(false)}>Sign out</Button>
        <Button
          onClick={() => leave(true)}
          title="Ends all sessions of this user and revokes the keys of all their browsers"
        >
          Sign out everywhere
        </Button>
      </div>
    </Dialog>
  );
}
