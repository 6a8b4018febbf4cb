import { agUi } from './ag-ui-kit.ts'
import { aiSdk6, aiSdk7 } from './ai-sdk-kit.ts'
import { events } from './events-kit.ts'
import { langGraph } from './lang-graph-kit.ts'
import { openAiAgents } from './openai-agents-kit.ts'

/** The adapters under test, in the order of the tables in docs/agents-from-elsewhere.md. */
export const kits = [events, aiSdk6, aiSdk7, openAiAgents, langGraph, agUi]
