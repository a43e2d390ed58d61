import {
  Anchor,
  type AnchorProps,
  Button,
  type ButtonProps,
  Menu,
  type MenuItemProps,
  NavLink,
  type NavLinkProps,
} from '@mantine/core'
import { IconChevronLeft } from '@tabler/icons-react'
import { createLink } from '@tanstack/react-router'
import type { ComponentPropsWithRef } from 'react'

type Link = Omit<ComponentPropsWithRef<'a'>, 'color' | 'style'>

// Each component is a Mantine component and a router link, so that TypeScript checks `to`, `params`, and `search`.
export const RouterAnchor = createLink((props: AnchorProps & Link) => <Anchor {...props} />)

export const BackLink = createLink(({ children, ...props }: AnchorProps & Link) => (
  <Anchor size="sm" display="inline-flex" style={{ alignItems: 'center' }} {...props}>
    <IconChevronLeft size={14} aria-hidden="true" />
    {children}
  </Anchor>
))

export const RouterButton = createLink((props: ButtonProps & Link) => <Button component="a" {...props} />)

/** The router marks the link to the current page, or to a page above it, with `aria-current`. */
export const RouterNavLink = createLink((props: NavLinkProps & Link) => (
  <NavLink component="a" active={props['aria-current'] === 'page'} {...props} />
))

export const RouterMenuItem = createLink((props: MenuItemProps & Link) => <Menu.Item component="a" {...props} />)
