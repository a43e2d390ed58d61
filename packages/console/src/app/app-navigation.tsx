import { AppShell, NavLink } from '@mantine/core'
import {
  IconActivity,
  IconBook,
  IconDashboard,
  IconDeviceDesktopDown,
  IconDevices,
  IconExternalLink,
  IconPlug,
  IconSchema,
  IconStack2,
  IconUserCircle,
  IconWebhook,
} from '@tabler/icons-react'
import { useInstall } from './install-prompt.ts'
import { RouterNavLink } from './links.tsx'
import { api } from './paths.ts'

const pages = [
  { to: '/overview', label: 'Overview', Icon: IconDashboard },
  { to: '/devices', label: 'Devices', Icon: IconDevices },
  { to: '/services', label: 'Services', Icon: IconPlug },
  { to: '/events', label: 'Events', Icon: IconActivity },
  { to: '/changes', label: 'Bulk jobs', Icon: IconStack2 },
  { to: '/webhooks', label: 'Webhooks', Icon: IconWebhook },
  { to: '/account', label: 'Account', Icon: IconUserCircle },
] as const

/** `onNavigate` closes the navigation on narrow screens, where the navigation covers the page. */
export function AppNavigation({ onNavigate }: { onNavigate: () => void }) {
  const install = useInstall()
  return (
    <>
      <AppShell.Section grow>
        {pages.map(({ to, label, Icon }) => (
          <RouterNavLink
            key={to}
            to={to}
            activeOptions={{ includeSearch: false }}
            label={label}
            leftSection={<Icon size={18} stroke={1.6} />}
            onClick={onNavigate}
          />
        ))}
      </AppShell.Section>
      <AppShell.Section>
        {install === undefined ? null : (
          <NavLink
            component="button"
            label="Install as an app"
            leftSection={<IconDeviceDesktopDown size={18} stroke={1.6} />}
            onClick={install}
          />
        )}
        <NavLink
          href="/docs/"
          label="Documentation"
          leftSection={<IconBook size={18} stroke={1.6} />}
          rightSection={<IconExternalLink size={14} />}
          target="_blank"
        />
        <NavLink
          href={api.reference}
          label="API reference"
          leftSection={<IconSchema size={18} stroke={1.6} />}
          rightSection={<IconExternalLink size={14} />}
          target="_blank"
        />
      </AppShell.Section>
    </>
  )
}
