import '@mantine/core/styles.css'
import './app/global.css'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { useClient } from 'urql'
import { listenForInstallPrompt } from './app/install-prompt.ts'
import { Providers } from './app/providers.tsx'
import { router } from './app/routes/router.tsx'
import { registerServiceWorker } from './app/service-worker.ts'

listenForInstallPrompt()
registerServiceWorker()

const root = document.getElementById('root')
if (root === null) throw new Error('index.html must contain an element with the ID "root"')

function Routes() {
  const client = useClient()
  return <RouterProvider router={router} context={{ client }} />
}

createRoot(root).render(
  <StrictMode>
    <Providers>
      <Routes />
    </Providers>
  </StrictMode>,
)
