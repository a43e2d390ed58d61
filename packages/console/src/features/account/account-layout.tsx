import { Grid } from '@mantine/core'
import { Outlet } from '@tanstack/react-router'
import { RouterNavLink } from '../../app/links.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { accountLabel } from '../user-settings/account-label.ts'
import { useViewer } from '../user-settings/viewer.ts'
import classes from './account-layout.module.css'
import { RenameAccount } from './rename-account.tsx'

const pages = [
  { to: '/account/keys', label: 'Access keys' },
  { to: '/account/members', label: 'Members' },
  { to: '/account/sign-in-policy', label: 'Sign-in policy' },
  { to: '/account/codes', label: 'Registration codes' },
  { to: '/account/labels', label: 'Labels' },
  { to: '/account/attributes', label: 'Attribute names' },
  { to: '/account/limits', label: 'Limits' },
  { to: '/account/sessions', label: 'Sessions' },
  { to: '/account/security', label: 'Profile and security' },
] as const

export function AccountLayout() {
  const { email, name, may } = useViewer()
  const label = accountLabel({ name, email })
  return (
    <>
      <PageHeader title="Account" actions={may('ACCOUNT_MANAGE') ? <RenameAccount /> : undefined}>
        {label === email ? email : `${label} · ${email}`}
      </PageHeader>
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, md: 2.5 }} component="nav" aria-label="Account" className={classes.pages}>
          {pages.map(({ to, label }) => (
            <RouterNavLink key={to} to={to} activeOptions={{ includeSearch: false }} label={label} />
          ))}
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 9.5 }}>
          <Outlet />
        </Grid.Col>
      </Grid>
    </>
  )
}
