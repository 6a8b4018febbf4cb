import type { ApiError } from '../api-error.ts'
import { faultsOf } from './due-faults.ts'
import type { Fault } from './fault.ts'

/** The error of a fault that names none. */
export const askedError: ApiError = {
  type: 'overloaded_error',
  message: 'The model is overloaded (the emulator was asked to fail).',
}

/** The error that a fault puts in the place of an answer that is not streamed, if any does. */
export function findAskedError(faults: readonly Fault[]): ApiError | undefined {
  const [fault] = faultsOf(faults, 'error')
  return fault === undefined ? undefined : (fault.error ?? askedError)
}
