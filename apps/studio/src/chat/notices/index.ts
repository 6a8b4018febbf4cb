export { NoticeBar } from './notice-bar.tsx'
export { FrozenNote } from './read-only-note.tsx'
export { useServerTrouble } from './server-notice.tsx'
