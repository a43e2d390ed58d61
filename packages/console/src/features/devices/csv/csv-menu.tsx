import { Button, Menu } from '@mantine/core'
import { IconChevronDown, IconFileExport, IconFileImport } from '@tabler/icons-react'
import { lazy, Suspense, useState } from 'react'
import { useClient } from 'urql'
import { AttributeNamesDocument } from '../../attributes/attributes.generated.ts'
import { useViewer } from '../../user-settings/viewer.ts'
import type { DeviceFilter } from '../devices-search.ts'
import type { ShownList } from './use-export.ts'

const ImportDevices = lazy(async () => ({ default: (await import('./import-devices.tsx')).ImportDevices }))
const ExportDevices = lazy(async () => ({ default: (await import('./export-devices.tsx')).ExportDevices }))

interface CsvMenuProps {
  filter: DeviceFilter
  shown: ShownList
  total: number | undefined
  /** Called when the import dialog closes, because an import may have changed devices. */
  onImported(): void
}

const everything = { kind: 'all', except: new Set<string>() } as const

export function CsvMenu({ filter, shown, total, onImported }: CsvMenuProps) {
  const client = useClient()
  const { may } = useViewer()
  const mayImport = may('DEVICE_CREATE') || may('DEVICE_WRITE') || may('ATTRIBUTE_WRITE')
  const [opened, setOpened] = useState<'import' | 'export'>()
  const closeImport = (): void => {
    setOpened(undefined)
    // Reload the options for columns and filters, because the import may have added attributes.
    void client.query(AttributeNamesDocument, {}, { requestPolicy: 'network-only' }).toPromise()
    onImported()
  }
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <Button variant="default" rightSection={<IconChevronDown size={14} aria-hidden="true" />}>
            CSV
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {mayImport ? (
            <Menu.Item
              leftSection={<IconFileImport size={16} aria-hidden="true" />}
              onClick={() => setOpened('import')}
            >
              Import CSV
            </Menu.Item>
          ) : null}
          <Menu.Item
            leftSection={<IconFileExport size={16} aria-hidden="true" />}
            disabled={total === 0}
            onClick={() => setOpened('export')}
          >
            Export CSV
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <Suspense>
        {opened === 'import' ? <ImportDevices onClose={closeImport} /> : null}
        {opened === 'export' ? (
          <ExportDevices
            devices={{ selected: everything, filter }}
            shown={shown}
            count={total}
            onClose={() => setOpened(undefined)}
          />
        ) : null}
      </Suspense>
    </>
  )
}
