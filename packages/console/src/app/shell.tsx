import { AppShell, Box } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { Outlet } from '@tanstack/react-router'
import { useEffect } from 'react'
import { PaletteKeys } from '../features/palette/palette-keys.tsx'
import { useViewer } from '../features/user-settings/viewer.ts'
import { liveEvents } from '../graphql/live-events.ts'
import { AppHeader } from './app-header.tsx'
import { AppNavigation } from './app-navigation.tsx'
import { SignedIn } from './signed-in.tsx'

export function Shell() {
  return (
    <SignedIn>
      <Frame />
    </SignedIn>
  )
}

function Frame() {
  const [opened, { toggle, close }] = useDisclosure()
  const { canReadEvents } = useViewer()
  useEffect(() => {
    if (!canReadEvents) return
    liveEvents.start()
    return () => liveEvents.stop()
  }, [canReadEvents])
  return (
    <>
      <button type="button" className="skip-link" onClick={focusContent}>
        Skip to content
      </button>
      <PaletteKeys />
      <AppShell
        header={{ height: 48 }}
        navbar={{ width: 212, breakpoint: 'sm', collapsed: { mobile: !opened } }}
        padding="md"
      >
        <AppShell.Header>
          <AppHeader opened={opened} toggle={toggle} />
        </AppShell.Header>
        <AppShell.Navbar p="xs" aria-label="Pages">
          <AppNavigation onNavigate={close} />
        </AppShell.Navbar>
        <AppShell.Main>
          <Box id="content" tabIndex={-1} style={{ outline: 'none' }}>
            <Outlet />
          </Box>
        </AppShell.Main>
      </AppShell>
    </>
  )
}

/** Moves the focus past the navigation. A hash link would change the URL, which contains the page's state. */
const focusContent = (): void => document.getElementById('content')?.focus()
