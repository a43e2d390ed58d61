import '@mantine/core/styles.css'
import '../src/app/global.css'
import { MantineProvider } from '@mantine/core'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { colors } from '../src/app/colors.ts'
import { theme } from '../src/app/theme.ts'
import { DocPage } from './doc-page.tsx'

const root = document.getElementById('root')
if (root === null) throw new Error('doc.html must contain an element with the ID "root"')

createRoot(root).render(
  <StrictMode>
    <MantineProvider theme={theme} cssVariablesResolver={colors} defaultColorScheme="auto">
      <DocPage />
    </MantineProvider>
  </StrictMode>,
)
