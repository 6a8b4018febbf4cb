/** What formats that cannot take anything back have in place of a rollback: the payload of an error. */
export const ROLLBACK_ERROR = JSON.stringify({
  type: 'rollback',
  message:
    'The answer was cut and is being given anew, which this format cannot show; read the run in another one, or ask again.',
  code: 'model_interrupted',
  retriable: true,
})
