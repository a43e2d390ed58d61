import { Burger, Group, Image, Text } from '@mantine/core'
import { AccountMenu } from './account-menu.tsx'
import { LiveStatusBadge } from './live-status-badge.tsx'

export function AppHeader({ opened, toggle }: { opened: boolean; toggle: () => void }) {
  return (
    <Group h="100%" px="md" justify="space-between" wrap="nowrap">
      <Group gap="sm" wrap="nowrap">
        <Burger
          opened={opened}
          onClick={toggle}
          hiddenFrom="sm"
          size="sm"
          aria-label={opened ? 'Close navigation' : 'Open navigation'}
          aria-expanded={opened}
        />
        <Image src="/icons/icon.svg" alt="" w={24} h={24} />
        <Text fw={600} size="lg">
          Muster
        </Text>
      </Group>
      <Group gap="sm" wrap="nowrap">
        <LiveStatusBadge />
        <AccountMenu />
      </Group>
    </Group>
  )
}
