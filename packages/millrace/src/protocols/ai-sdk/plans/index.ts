import type { ProtocolCode } from '../../port/index.ts'
import { createAiSdk } from '../index.ts'
import { plans } from './chat-plans.ts'

/** The code of the protocol `ai-sdk`. */
export const code: ProtocolCode = { format: createAiSdk, plans }
