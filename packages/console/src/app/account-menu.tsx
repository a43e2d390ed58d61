import { Box, Button, type MantineColorScheme, Menu, Text, useMantineColorScheme } from '@mantine/core'
import { IconChevronDown, IconLogout, IconUserCircle } from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import { notifyError } from '../components/error-notice.tsx'
import { signOut } from '../features/sign-in/auth-api.ts'
import { accountLabel } from '../features/user-settings/account-label.ts'
import { useViewer } from '../features/user-settings/viewer.ts'
import { useClearCache } from '../graphql/client-cache.ts'
import { addressOf } from './account-path.ts'
import { RouterMenuItem } from './links.tsx'

export function AccountMenu() {
  const { id, email, name, me } = useViewer()
  const label = accountLabel({ name, email })
  const others = me.accounts.filter(({ account }) => account.id !== id)
  const person = me.person?.email ?? email
  const signOutAndLeave = useSignOut()
  return (
    <Menu position="bottom-end" width={240}>
      <Menu.Target>
        <Button
          variant="subtle"
          color="gray"
          size="compact-md"
          rightSection={<IconChevronDown size={14} />}
          maw={220}
          aria-label={label}
        >
          <Text span size="sm" truncate visibleFrom="sm">
            {label}
          </Text>
          <Box component={IconUserCircle} size={20} hiddenFrom="sm" />
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label style={{ overflowWrap: 'anywhere' }}>{label}</Menu.Label>
        {person === label ? null : <Menu.Label style={{ overflowWrap: 'anywhere' }}>Signed in as {person}</Menu.Label>}
        {others.length === 0 ? null : <Menu.Divider />}
        {others.length === 0 ? null : <Menu.Label>Switch account</Menu.Label>}
        {others.map(({ account, role }) => (
          <Menu.Item key={account.id} component="a" href={addressOf(account.id)} style={{ overflowWrap: 'anywhere' }}>
            {accountLabel(account)}
            <Text span size="xs" c="dimmed">
              {' '}
              {role.name}
            </Text>
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Label>Theme</Menu.Label>
        <ColorScheme />
        <Menu.Divider />
        <RouterMenuItem to="/account" leftSection={<IconUserCircle size={16} />}>
          Account
        </RouterMenuItem>
        <Menu.Item leftSection={<IconLogout size={16} />} onClick={signOutAndLeave}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}

function ColorScheme() {
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  return (
    <Menu.RadioGroup value={colorScheme} onChange={(chosen) => setColorScheme(chosen as MantineColorScheme)}>
      <Menu.RadioItem value="light">Light</Menu.RadioItem>
      <Menu.RadioItem value="dark">Dark</Menu.RadioItem>
      <Menu.RadioItem value="auto">System</Menu.RadioItem>
    </Menu.RadioGroup>
  )
}

function useSignOut(): () => Promise<void> {
  const navigate = useNavigate()
  const clearCache = useClearCache()
  return async () => {
    let redirect: string | undefined
    try {
      redirect = (await signOut()).redirect
    } catch (error) {
      notifyError('You are still signed in', error)
      return
    }
    if (redirect !== undefined) return window.location.assign(redirect)
    await navigate({ to: '/sign-in' })
    clearCache()
  }
}
