import {
  ActionIcon,
  Anchor,
  Badge,
  Button,
  createTheme,
  Menu,
  Modal,
  ModalHeader,
  Notification,
  Table,
  Tooltip,
} from '@mantine/core'

/** Shared with the API reference. */
export const theme = createTheme({
  primaryColor: 'indigo',
  // White text on this shade has a contrast above 4.5.
  primaryShade: { light: 7, dark: 7 },
  autoContrast: true,
  respectReducedMotion: true,
  defaultRadius: 'sm',
  cursorType: 'pointer',
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Helvetica Neue", Arial, sans-serif',
  fontFamilyMonospace: 'ui-monospace, "SF Mono", "Cascadia Mono", "Roboto Mono", Menlo, Consolas, monospace',
  fontSizes: { xs: '0.75rem', sm: '0.8125rem', md: '0.875rem', lg: '1rem', xl: '1.125rem' },
  headings: {
    fontWeight: '600',
    sizes: {
      h1: { fontSize: '1.375rem', lineHeight: '1.3' },
      h2: { fontSize: '1.0625rem', lineHeight: '1.35' },
      h3: { fontSize: '0.9375rem', lineHeight: '1.4' },
    },
  },
  components: {
    ActionIcon: ActionIcon.extend({ defaultProps: { variant: 'subtle', color: 'gray' } }),
    Anchor: Anchor.extend({ defaultProps: { underline: 'hover' } }),
    Badge: Badge.extend({ defaultProps: { variant: 'light', radius: 'sm', tt: 'none', fw: 500 } }),
    Button: Button.extend({ defaultProps: { size: 'sm' } }),
    // Mantine's placeholder is a focusable presentational child, which ARIA does not allow in a menu.
    Menu: Menu.extend({ defaultProps: { withInitialFocusPlaceholder: false } }),
    Modal: Modal.extend({
      defaultProps: { centered: true, closeButtonProps: { 'aria-label': 'Close' } },
      styles: { title: { fontWeight: 600, fontSize: 'var(--mantine-font-size-lg)' } },
    }),
    // A <header> inside a dialog would otherwise be announced as the page's banner.
    ModalHeader: ModalHeader.extend({ defaultProps: { role: 'presentation' } }),
    Notification: Notification.extend({ defaultProps: { closeButtonProps: { 'aria-label': 'Close' } } }),
    Table: Table.extend({ defaultProps: { verticalSpacing: 6, horizontalSpacing: 'sm' } }),
    Tooltip: Tooltip.extend({ defaultProps: { events: { hover: true, focus: true, touch: true }, openDelay: 300 } }),
  },
})
