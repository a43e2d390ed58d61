import { Button, type ButtonProps, Group } from '@mantine/core'

/** The children label the button that submits the form. */
export const FormButtons = ({ onCancel, ...submit }: ButtonProps & { onCancel: () => void }) => (
  <Group justify="flex-end">
    <Button variant="default" onClick={onCancel}>
      Cancel
    </Button>
    <Button type="submit" {...submit} />
  </Group>
)
