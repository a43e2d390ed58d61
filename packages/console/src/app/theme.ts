import {
  type ActionIconProps,
  type AnchorProps,
  type BadgeProps,
  type ButtonProps,
  createTheme,
  type MenuProps,
  type ModalProps,
  type NotificationProps,
  type PasswordInputProps,
  type TableProps,
  type TooltipProps,
} from '@mantine/core'

/** Refers to components by name instead of importing them, because the first load does not include most of them. */
export const theme = createTheme({
  primaryColor: 'indigo',
  // White text has a contrast ratio above 4.5 on this shade.
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
    ActionIcon: { defaultProps: { variant: 'subtle', color: 'gray' } satisfies Partial<ActionIconProps> },
    Anchor: { defaultProps: { underline: 'hover' } satisfies Partial<AnchorProps> },
    Badge: { defaultProps: { variant: 'light', radius: 'sm', tt: 'none', fw: 500 } satisfies Partial<BadgeProps> },
    Button: { defaultProps: { size: 'sm' } satisfies Partial<ButtonProps> },
    // Turn off Mantine's placeholder, because it is a focusable presentational child, which ARIA does not allow in a
    // menu.
    Menu: { defaultProps: { withInitialFocusPlaceholder: false } satisfies Partial<MenuProps> },
    Modal: {
      defaultProps: { centered: true, closeButtonProps: { 'aria-label': 'Close' } } satisfies Partial<ModalProps>,
      styles: { title: { fontWeight: 600, fontSize: 'var(--mantine-font-size-lg)', lineHeight: 1.3 } },
    },
    // Without this role, screen readers would announce a <header> inside a dialog as the page's banner.
    ModalHeader: { defaultProps: { role: 'presentation' } },
    Notification: {
      defaultProps: { closeButtonProps: { 'aria-label': 'Close' } } satisfies Partial<NotificationProps>,
    },
    PasswordInput: {
      defaultProps: {
        visibilityToggleButtonProps: { 'aria-label': 'Show the password' },
      } satisfies Partial<PasswordInputProps>,
    },
    Table: {
      defaultProps: {
        verticalSpacing: 6,
        horizontalSpacing: 'sm',
        // Links have a contrast ratio above 4.5 on these colors.
        highlightOnHoverColor: 'light-dark(var(--mantine-color-gray-0), var(--mantine-color-dark-6))',
      } satisfies Partial<TableProps>,
    },
    Tooltip: {
      defaultProps: {
        events: { hover: true, focus: true, touch: true },
        openDelay: 300,
      } satisfies Partial<TooltipProps>,
    },
  },
})
