import { Button } from '@mantine/core'
import { IconPencil, IconTrash } from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { RemoveService } from '../services/remove-service.tsx'
import { ServiceForm } from '../services/service-form.tsx'
import type { ServiceRowFragment } from '../services/services.generated.ts'
import { useUpdateService } from '../services/use-update-service.ts'
import { useViewer } from '../user-settings/viewer.ts'

interface ServiceActionsProps {
  service: ServiceRowFragment
  deviceId: string
}

export function ServiceActions({ service, deviceId }: ServiceActionsProps) {
  const [edited, setEdited] = useState<ServiceRowFragment>()
  const [isRemoving, setRemoving] = useState(false)
  const update = useUpdateService()
  const navigate = useNavigate()
  const { may } = useViewer()
  if (!may('DEVICE_WRITE')) return null
  return (
    <>
      <Button variant="default" leftSection={<IconPencil size={16} />} onClick={() => setEdited(service)}>
        Edit
      </Button>
      <Button variant="default" leftSection={<IconTrash size={16} />} onClick={() => setRemoving(true)}>
        Remove
      </Button>
      <ServiceForm
        opened={edited !== undefined}
        onClose={() => setEdited(undefined)}
        service={edited}
        onSave={async (fields) => edited && update(edited, fields)}
      />
      <RemoveService
        service={isRemoving ? service : undefined}
        onClose={() => setRemoving(false)}
        onRemoved={() => navigate({ to: '/devices/$deviceId', params: { deviceId }, search: { tab: 'services' } })}
      />
    </>
  )
}
