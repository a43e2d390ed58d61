import { switchingCommand } from '../../keys/enable-key.ts'

export const enableCommand = () => switchingCommand('enable', 'let an access key work again', true)
