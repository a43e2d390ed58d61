import { Center, Image, Paper, Stack, Title } from '@mantine/core'
import { useDocumentTitle } from '@mantine/hooks'
import type { ReactNode } from 'react'

/** The layout of pages outside the console’s shell, such as the page of an invitation. */
export function SignedOutPage({ title, children }: { title: string; children: ReactNode }) {
  useDocumentTitle(`${title} · Muster`)
  return (
    <Center component="main" mih="100dvh" p="md">
      <Stack w="100%" maw={420} gap="lg">
        <Image src="/icons/icon.svg" alt="" w={36} h={36} mx="auto" />
        <Paper withBorder p="lg" radius="md">
          <Title order={1} mb="md">
            {title}
          </Title>
          {children}
        </Paper>
      </Stack>
    </Center>
  )
}
