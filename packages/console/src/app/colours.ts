import type { CSSVariablesResolver } from '@mantine/core'

const names = ['red', 'pink', 'grape', 'violet', 'indigo', 'blue', 'cyan', 'teal', 'green', 'lime', 'yellow', 'orange']

/** Words on a pale ground of the same colour, as in badges: Mantine's own shades are under the contrast of 4.5 that text needs. */
const onPale = Object.fromEntries(
  names.map((name) => [
    `--mantine-color-${name}-light-color`,
    `color-mix(in srgb, var(--mantine-color-${name}-9) 62%, black)`,
  ]),
)

/** Goes to MantineProvider, so that these come after Mantine's own. */
export const colours: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    ...onPale,
    '--mantine-color-dimmed': '#5b636b',
    '--page-background': 'var(--mantine-color-gray-0)',
    '--panel-background': 'var(--mantine-color-white)',
  },
  dark: {
    '--mantine-color-dimmed': '#a6acb3',
    '--page-background': 'var(--mantine-color-dark-8)',
    '--panel-background': 'var(--mantine-color-dark-7)',
  },
})
