import { lazy } from 'react'
import type { ComponentType, LazyExoticComponent } from 'react'

/** A module of the page could not be loaded. */
export class LoadError extends Error {
  override readonly name = 'LoadError'

  constructor(cause: unknown) {
    const why = 'A part of this page could not be loaded. The server may be unreachable or updated.'
    super(`${why} Reload the page.`, { cause })
  }
}

/** Loads a module; a failure is a {@link LoadError}, because browsers have different messages. */
export async function loadModule<Part>(load: () => Promise<Part>): Promise<Part> {
  try {
    return await load()
  } catch (cause) {
    throw new LoadError(cause)
  }
}

/** Creates a component that is loaded when it is first rendered. */
export function lazyComponent<Props>(
  load: () => Promise<ComponentType<Props>>,
): LazyExoticComponent<ComponentType<Props>> {
  return lazy(async () => ({ default: await loadModule(load) }))
}
