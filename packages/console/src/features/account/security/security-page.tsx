import { ErrorNotice } from '../../../components/error-notice.tsx'
import { Loading } from '../../../components/loading.tsx'
import { whoAmI } from '../../sign-in/auth-api.ts'
import { useLoad } from '../use-load.ts'
import { Passkeys } from './passkeys.tsx'
import { PasswordSection } from './password-section.tsx'
import { ProfileSection } from './profile-section.tsx'
import { SingleSignOnSection } from './single-sign-on-section.tsx'
import { TotpSection } from './totp-section.tsx'

export function SecurityPage() {
  const { data, error, reload } = useLoad(whoAmI)
  if (error !== undefined && data === undefined)
    return <ErrorNotice error={error} title="The settings could not be loaded" onRetry={reload} />
  if (data === undefined) return <Loading what="security settings" />
  const { password = false, totp = false, singleSignOn = false } = data
  return (
    <>
      <ProfileSection />
      {/* Two-factor authentication applies only to sign-in with a password. */}
      {password ? (
        <>
          <PasswordSection />
          <TotpSection isOn={totp} onChanged={reload} />
        </>
      ) : null}
      <Passkeys />
      <SingleSignOnSection isLinked={singleSignOn} />
    </>
  )
}
