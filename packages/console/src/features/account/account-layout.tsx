import { Grid } from '@mantine/core'
import { Outlet } from '@tanstack/react-router'
import { RouterNavLink } from '../../app/links.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { accountLabel } from '../user-settings/account-label.ts'
import { useViewer } from '../user-settings/viewer.ts'
import classes from './account-layout.module.css'
import { accountPages } from './account-pages.ts'
import { RenameAccount } from './rename-account.tsx'

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
          {accountPages.map(({ to, label }) => (
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
