import { Grid } from '@mantine/core'
import { Outlet, useLocation } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { RouterNavLink } from '../../app/links.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { useViewer } from '../user-settings/viewer.ts'
import classes from './account-layout.module.css'

const pages = [
  { to: '/account/keys', label: 'Access keys' },
  { to: '/account/codes', label: 'Registration codes' },
  { to: '/account/labels', label: 'Labels' },
  { to: '/account/attributes', label: 'Attribute names' },
  { to: '/account/limits', label: 'Limits' },
  { to: '/account/sessions', label: 'Sessions' },
  { to: '/account/security', label: 'Profile and security' },
] as const

export function AccountLayout() {
  const { email, name } = useViewer()
  const path = useLocation({ select: ({ pathname }) => pathname })
  const pagesRef = useRef<HTMLDivElement>(null)
  // On phones, the row of pages scrolls. With scrollIntoView, the Tab key would skip the navigation.
  useEffect(() => {
    const row = pagesRef.current
    const here = row?.querySelector<HTMLElement>(`[href="${path}"]`)
    if (row && here) row.scrollLeft = here.offsetLeft - row.offsetLeft - (row.clientWidth - here.clientWidth) / 2
  }, [path])
  return (
    <>
      <PageHeader title="Account">{name ? `${name} · ${email}` : email}</PageHeader>
      <Grid gap="lg">
        <Grid.Col
          span={{ base: 12, md: 2.5 }}
          component="nav"
          aria-label="Account"
          className={classes.pages}
          ref={pagesRef}
        >
          {pages.map(({ to, label }) => (
            <RouterNavLink
              key={to}
              to={to}
              label={label}
              active={path === to}
              aria-current={path === to ? 'page' : undefined}
            />
          ))}
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 9.5 }}>
          <Outlet />
        </Grid.Col>
      </Grid>
    </>
  )
}
