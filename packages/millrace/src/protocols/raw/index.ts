import type { ProtocolCode } from '../port/index.ts'
import { rawFormat } from './raw-format.ts'

/** The code of the protocol `raw`. */
export const code: ProtocolCode = { format: () => rawFormat() }
