export { ErrorBoundary } from './error-boundary.tsx'
export { LazyPane } from './lazy-pane.tsx'
export { lazyComponent, loadModule } from './load-module.ts'
