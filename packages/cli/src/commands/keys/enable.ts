import { enableOrDisableCommand } from '../../keys/enable-or-disable.ts'

export const buildCommand = () => enableOrDisableCommand('enable', true)
