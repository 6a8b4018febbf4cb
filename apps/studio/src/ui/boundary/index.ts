export { Guard } from './error-boundary.tsx'
export { lazyPart } from './lazy-component.ts'
export { LatePane } from './lazy-pane.tsx'
export { loadPart } from './load-module.ts'
