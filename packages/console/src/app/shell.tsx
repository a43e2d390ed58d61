import { AppShell, Box } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { Outlet } from '@tanstack/react-router'
import { useEffect } from 'react'
import { liveEvents } from '../graphql/use-live-events.ts'
import { AppHeader } from './app-header.tsx'
import { AppNavigation } from './app-navigation.tsx'
import { SignedIn } from './signed-in.tsx'

/** The frame around every page of those who are signed in. */
export function Shell() {
  return (
    <SignedIn>
      <Frame />
    </SignedIn>
  )
}

function Frame() {
  const [opened, { toggle, close }] = useDisclosure()
  useEffect(() => {
    liveEvents.start()
    return () => liveEvents.stop()
  }, [])
  return (
    <>
      <button type="button" className="skip-link" onClick={skip}>
        Skip to the content
      </button>
      <AppShell
        header={{ height: 48 }}
        navbar={{ width: 196, breakpoint: 'sm', collapsed: { mobile: !opened } }}
        padding="md"
      >
        <AppShell.Header>
          <AppHeader opened={opened} toggle={toggle} />
        </AppShell.Header>
        <AppShell.Navbar p="xs" aria-label="Pages">
          <AppNavigation onGo={close} />
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

/** By script, not by an address: what that says belongs to the page. */
const skip = (): void => document.getElementById('content')?.focus()
