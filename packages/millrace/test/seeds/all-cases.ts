import { numberCases, type SeedCase } from './support/seed-case.ts'
import { blockStatements } from './seed-000/blocks.ts'
import { controlStatements } from './seed-000/control.ts'
import { xmlTextStatements } from './seed-000/text.ts'
import { transportStatements } from './seed-000/transport.ts'
import { chunkingStatements } from './seed-001/chunking.ts'
import { designStatements } from './seed-001/design.ts'
import { finalFlagStatements } from './seed-001/final-flag.ts'
import { frontendStatements } from './seed-001/frontend.ts'
import { historyStatements } from './seed-001/histories.ts'
import { metaStatements } from './seed-001/meta.ts'
import { referenceStatements } from './seed-001/reference.ts'
import { retryStatements } from './seed-001/retries.ts'
import { streamedStatements } from './seed-001/streamed.ts'
import { toolStatements } from './seed-001/tools.ts'
import { apiBlockStatements } from './seed-003/blocks.ts'
import { edgeCaseStatements } from './seed-003/edge-cases.ts'
import { eventStatements } from './seed-003/events.ts'
import { invocationStatements } from './seed-004/invocations.ts'
import { overviewStatements } from './seed-004/overview.ts'
import { seedModeStatements } from './seed-004/seed-mode.ts'
import { segmentEventStatements } from './seed-004/segment-events.ts'
import { strategyStatements } from './seed-004/strategies.ts'

const seed000 = [
  ...transportStatements,
  ...blockStatements,
  ...controlStatements,
  ...xmlTextStatements,
]

const seed001 = [
  ...designStatements,
  ...metaStatements,
  ...streamedStatements,
  ...toolStatements,
  ...finalFlagStatements,
  ...frontendStatements,
  ...chunkingStatements,
  ...referenceStatements,
  ...historyStatements,
  ...retryStatements,
]

const seed003 = [...eventStatements, ...apiBlockStatements, ...edgeCaseStatements]

const seed004 = [
  ...overviewStatements,
  ...segmentEventStatements,
  ...invocationStatements,
  ...strategyStatements,
  ...seedModeStatements,
]

/** Every statement of the four seeds, numbered. */
export const allCases: readonly SeedCase[] = numberCases([
  ...seed000,
  ...seed001,
  ...seed003,
  ...seed004,
])
