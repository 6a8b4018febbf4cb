export { styleOf, toAgentStyles } from './agent-colors.ts'
export type { AgentStyle, AgentStyles } from './agent-colors.ts'
export { describeOutcome } from './describe-outcome.ts'
export { createReadOnlySession } from './read-only-session.ts'
export { MAX_KEPT } from './sent-commands.ts'
export type { SentCommand } from './sent-commands.ts'
export { StudioContext, useStudio } from './studio-context.ts'
export {
  openStudioSession,
  replaceParameters,
  showInAddress,
  toTranslationNote,
} from './studio-session.ts'
export type { StudioSession } from './studio-session.ts'
export { useAgentStyles } from './use-agent-styles.ts'
export { useShownSession } from './use-shown-session.ts'
export { useStopRequest } from './use-stop-request.ts'
export { createViewState } from './view-state.ts'
