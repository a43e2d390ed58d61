import { useHotkeys } from '@mantine/hooks'
import { lazy, Suspense, useState } from 'react'

const CommandPalette = lazy(async () => ({ default: (await import('./command-palette.tsx')).CommandPalette }))

/**
 * Opens the command palette with Ctrl+K or Cmd+K. The / key moves the focus to the page's search field, or opens the
 * palette if the page has no search field.
 */
export function PaletteKeys() {
  const [opened, setOpened] = useState(0)
  const open = (): void => setOpened((before) => before + 1)
  // With an empty list of ignored elements, Ctrl+K and Cmd+K also work while the user types in a field.
  useHotkeys([['mod+K', open]], [])
  useHotkeys([
    [
      '/',
      () => {
        const search = document.querySelector<HTMLInputElement>('main input[type=search]')
        if (search === null) open()
        else search.focus()
      },
    ],
  ])
  return opened === 0 ? null : (
    <Suspense>
      <CommandPalette opened={opened} />
    </Suspense>
  )
}
