export { CopyButton } from './copy-button.tsx'
export { focusOnMount, isNothingFocused, useRestoreFocus } from './focus.ts'
export { FormProblem } from './form-problem.tsx'
export {
  AgentIcon,
  AlertIcon,
  ClipIcon,
  DownIcon,
  EditIcon,
  FileIcon,
  FirstIcon,
  LastIcon,
  LinkIcon,
  Logo,
  OpenIcon,
  PauseIcon,
  PlayIcon,
  PlusIcon,
  QuestionIcon,
  SaveIcon,
  SendIcon,
  ServerIcon,
  StepBackIcon,
  StepIcon,
  StopIcon,
  ThoughtIcon,
  ToolIcon,
} from './icons.tsx'
export { KeptStateContext, useKeptState } from './kept-state.ts'
export { createListeners } from './listeners.ts'
export type { Listeners } from './listeners.ts'
export { Modal } from './modal.tsx'
export { nextFrame } from './next-frame.ts'
export { bringPane, panes, showPane, usePane } from './panes.ts'
export type { Pane } from './panes.ts'
export { toSafeLink } from './safe-link.ts'
export { saveFile } from './save-file.ts'
export { readTabValue, storeTabValue } from './tab-storage.ts'
export { useFollowEnd } from './use-follow-end.ts'
export { endFollowingAreas, useStickToBottom } from './use-stick-to-bottom.ts'
export { useTip } from './use-tip.ts'
export type { Tip } from './use-tip.ts'
export { useWidth } from './use-width.ts'
