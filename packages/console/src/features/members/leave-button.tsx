import { ConfirmButton } from '../../components/dialogs/confirm-button.tsx'
import { useChange } from '../../graphql/use-change.ts'
import { useViewer } from '../user-settings/viewer.ts'
import { LeaveAccountDocument } from './members.generated.ts'

export function LeaveButton() {
  const { email } = useViewer()
  const leave = useChange(LeaveAccountDocument)
  return (
    <ConfirmButton
      label="Leave account"
      title={`Leave ${email}?`}
      confirm="Leave account"
      danger
      onConfirm={async () => {
        await leave({})
        window.location.assign('/')
      }}
    >
      After you leave, you can no longer use this account, and your personal keys in it are deleted. Account keys that
      you created continue to work. The last owner who can sign in cannot leave.
    </ConfirmButton>
  )
}
