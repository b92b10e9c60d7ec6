// Questions to the server.

async function answered(request) {
  const response = await request.catch(() => null);
  if (!response) throw new Error("The server does not answer. Start `prove serve` again, or see whether the network is there");
  const answer = await response.json().catch(() => null);
  if (!response.ok) throw new Error(answer?.detail ?? `The server answers ${response.status}`);
  return answer;
}

export async function get(path, query = {}) {
  const text = new URLSearchParams(query).toString();
  return answered(fetch(text ? `${path}?${text}` : path));
}

export async function post(path, body) {
  const headers = { "content-type": "application/json" };
  return answered(fetch(path, { method: "POST", headers, body: JSON.stringify(body) }));
}
