export { FindBar } from './find-bar.tsx'
export { useFindKey } from './use-find-key.ts'
