import type { ApiError } from '../routes/api-error.ts'
import { faultsOf, type Fault } from './fault.ts'

/** The error of a fault that names no error. */
export const defaultError: ApiError = {
  type: 'overloaded_error',
  message: 'The model is overloaded (requested by a fault of the emulator).',
}

/** Returns the error that a fault sends instead of an answer that is not streamed, if there is one. */
export function findErrorFault(faults: readonly Fault[]): ApiError | undefined {
  const [fault] = faultsOf(faults, 'error')
  return fault === undefined ? undefined : (fault.error ?? defaultError)
}
