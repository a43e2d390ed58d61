import { useViewer } from '../../user-settings/viewer.ts'
import type { AccessKeyFieldsFragment } from './keys.generated.ts'

export function useMayChange({ kind, createdBy, replacedBy, expires }: AccessKeyFieldsFragment) {
  const { may, me } = useViewer()
  const isOwn = kind === 'personal' && me.person !== null && createdBy?.user?.id === me.person.id
  const canChange = may('KEY_MANAGE') || (may('KEY_OWN') && isOwn)
  const isExpired = expires !== null && new Date(expires) <= new Date()
  // A personal key acts as its creator, so no other person may receive the key's new secret.
  const canRotate = canChange && (kind === 'account' || isOwn) && replacedBy === null && !isExpired
  return { canChange, canRotate, canSimulate: may('KEY_MANAGE') || isOwn }
}
