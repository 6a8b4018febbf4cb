export { NoticeBar } from './notice-bar.tsx'
export { ReadOnlyNote } from './read-only-note.tsx'
export { useServerProblem } from './server-notice.tsx'
