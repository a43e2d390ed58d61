import type { CSSVariablesResolver } from '@mantine/core'

const names = ['red', 'pink', 'grape', 'violet', 'indigo', 'blue', 'cyan', 'teal', 'green', 'lime', 'yellow', 'orange']

/**
 * Text colors that are darker than Mantine's. On a light background, some of Mantine's shades have a contrast ratio
 * below 4.5, the minimum for text (WCAG 1.4.3). The colors of errors and of dimmed text below also raise the contrast.
 */
const textOnLight = Object.fromEntries(
  names.map((name) => [
    `--mantine-color-${name}-light-color`,
    `color-mix(in srgb, var(--mantine-color-${name}-9) 62%, black)`,
  ]),
)

export const colors: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    ...textOnLight,
    '--mantine-color-dimmed': '#5b636b',
    '--mantine-color-error': 'var(--mantine-color-red-9)',
    '--page-background': 'var(--mantine-color-gray-0)',
    '--panel-background': 'var(--mantine-color-white)',
  },
  dark: {
    '--mantine-color-dimmed': '#a6acb3',
    '--mantine-color-error': 'var(--mantine-color-red-5)',
    '--page-background': 'var(--mantine-color-dark-8)',
    '--panel-background': 'var(--mantine-color-dark-7)',
  },
})
