import { enableOrDisableCommand } from '../../keys/enable-or-disable.ts'

export const buildCommand = () => enableOrDisableCommand('disable', false)
