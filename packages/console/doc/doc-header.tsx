import { ActionIcon, Anchor, Group, Image, Text, useComputedColorScheme, useMantineColorScheme } from '@mantine/core'
import { IconMoon, IconSun } from '@tabler/icons-react'
import classes from './doc-page.module.css'
import type { View } from './location.ts'

const views: { view: View; label: string; hash: string }[] = [
  { view: 'reference', label: 'Reference', hash: '#overview' },
  { view: 'diagram', label: 'Diagram', hash: '#diagram' },
  { view: 'try', label: 'Try', hash: '#try' },
]

export function DocHeader({ view }: { view: View }) {
  return (
    <header className={classes.header}>
      <Anchor href="/" underline="never" c="inherit" aria-label="Muster console" title="Open the console">
        <Group gap="xs" wrap="nowrap">
          <Image src="/icons/icon.svg" alt="" w={24} h={24} />
          <Text fw={600} size="lg" visibleFrom="sm">
            Muster
          </Text>
        </Group>
      </Anchor>
      <nav aria-label="Views" className={classes.views}>
        {views.map(({ view: name, label, hash }) => (
          <a key={name} href={hash} aria-current={name === view ? 'page' : undefined}>
            {label}
          </a>
        ))}
      </nav>
      <Group gap="sm" wrap="nowrap" ml="auto">
        <Anchor size="sm" href="/graphql/v1/schema.graphql" visibleFrom="xs">
          Schema (SDL)
        </Anchor>
        <ColorSchemeButton />
      </Group>
    </header>
  )
}

/** Changes the color scheme of the reference and of the console, because both store it in the browser under one key. */
function ColorSchemeButton() {
  const { setColorScheme } = useMantineColorScheme()
  const scheme = useComputedColorScheme('light')
  const other = scheme === 'dark' ? 'light' : 'dark'
  return (
    <ActionIcon aria-label={`Switch to the ${other} theme`} onClick={() => setColorScheme(other)}>
      {other === 'dark' ? <IconMoon size={18} /> : <IconSun size={18} />}
    </ActionIcon>
  )
}
