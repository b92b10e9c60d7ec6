// Questions to the server.

async function answered(response) {
  const answer = await response.json().catch(() => null);
  if (!response.ok) throw new Error(answer?.detail ?? `The server answers ${response.status}`);
  return answer;
}

export async function get(path, query = {}) {
  const text = new URLSearchParams(query).toString();
  return answered(await fetch(text ? `${path}?${text}` : path));
}

export async function post(path, body) {
  const headers = { "content-type": "application/json" };
  return answered(await fetch(path, { method: "POST", headers, body: JSON.stringify(body) }));
}
