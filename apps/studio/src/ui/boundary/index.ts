export { ErrorBoundary } from './error-boundary.tsx'
export { lazyComponent } from './lazy-component.ts'
export { LazyPane } from './lazy-pane.tsx'
export { loadModule } from './load-module.ts'
