import type { ProtocolCode } from '../port/index.ts'
import { rawFormat } from './raw-writer.ts'

/** The code of the protocol `raw`. */
export const code: ProtocolCode = { format: () => rawFormat() }
