import { switchingCommand } from '../../keys/enable-key.ts'

export const disableCommand = () => switchingCommand('disable', 'stop an access key from working', false)
