export { RawToggle } from './raw-toggle.tsx'
export { toShownResult } from './result-shapes.ts'
export type { ShownResult } from './result-shapes.ts'
export { ResultBody, ResultView } from './result-view.tsx'
