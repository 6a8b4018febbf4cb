export { AgentColumn } from './agent-column.tsx'
export { hasEndedWithoutEndFrame } from './run-state.ts'
export { Working } from './working.tsx'
