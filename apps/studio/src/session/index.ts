export { faceOf, toAgentFaces } from './agent-colors.ts'
export type { AgentFace, AgentFaces } from './agent-colors.ts'
export { describeOutcome } from './describe-outcome.ts'
export { createFrozenSession } from './read-only-session.ts'
export { MAX_KEPT } from './sent-commands.ts'
export type { SentWord } from './sent-commands.ts'
export { StudioContext, useStudio } from './studio-context.ts'
export {
  openStudioSession,
  replaceParameters,
  showInAddress,
  toTranslationNote,
} from './studio-session.ts'
export type { StudioSession } from './studio-session.ts'
export { useAgentFaces } from './use-agent-styles.ts'
export { useShownStudio } from './use-shown-session.ts'
export { useStopping } from './use-stop-request.ts'
export { createViewState } from './view-state.ts'
