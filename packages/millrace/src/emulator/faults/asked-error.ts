import type { ApiError } from '../api-error.ts'

/** The error of a fault that names none. */
export const askedError: ApiError = {
  type: 'overloaded_error',
  message: 'The model is overloaded (the emulator was asked to fail).',
}
