import { lazy } from 'react'
import type { ComponentType, LazyExoticComponent } from 'react'
import { loadModule } from './load-module.ts'

/** Creates a component that is loaded when it is first rendered. */
export function lazyComponent<Props>(
  load: () => Promise<ComponentType<Props>>,
): LazyExoticComponent<ComponentType<Props>> {
  return lazy(async () => ({ default: await loadModule(load) }))
}
